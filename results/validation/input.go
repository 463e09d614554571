package validation

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/stats"
)

// InputName is the name of the file, next to a validation's record, with everything from which the tables are computed.
const InputName = "validation.json"

// Limits of the input that an export may include: values and items of all logs, and bytes of the file.
const (
	mostInput      = data.MostListed / 2 // an item has two texts
	mostInputBytes = 32 << 20
)

// TooLarge describes the validations whose tables are not in exports.
var TooLarge = fmt.Sprintf("more than %d values or items, or %d MiB of texts", mostInput, mostInputBytes>>20)

// An Input has everything from which a validation is computed: the logs as they were read, and the options. The options include inclusion
// probabilities and earlier looks.
type Input struct {
	Judged  *sources.Log `json:"judged"`
	People  *sources.Log `json:"people"`   // nil: no scores of people
	Since   *sources.Log `json:"since"`    // an older log of the judge; nil: none
	OneFile bool         `json:"one_file"` // one file was given for judged and people
	Options Options      `json:"options"`
	Unknown []string     `json:"-"` // keys of the file that this version does not know, and ignores
}

// NewInput copies logs and options, because a comparison changes names of systems, and looks. It returns nil if they are too large for an
// export.
func NewInput(judged, people, since *sources.Log, o Options) *Input {
	whole := &Input{Judged: judged, People: people, Since: since}
	if !whole.fits() || o.Looks != nil && len(o.Looks.Lines) > mostInput {
		return nil
	}
	if o.Looks != nil {
		o.Looks = &Looks{Lines: slices.Clone(o.Looks.Lines), Last: o.Looks.Last}
	}
	in := &Input{Judged: judged.Clone(), People: people.Clone(), Since: since.Clone(), Options: o}
	in.OneFile = people != nil && judged.Path == people.Path && judged.Path != ""
	return in
}

// Values counts the values in the logs, and the scores that failed, so that they have no value.
func (in *Input) Values() (values, failed int) {
	for _, log := range in.logs() {
		for _, s := range log.Values.All() {
			if s.Failed {
				failed++
			} else {
				values++
			}
		}
	}
	return values, failed
}

// fits reports whether the input may be small enough for an export: it has few enough values and items, and its texts alone do not fill the
// file.
func (in *Input) fits() bool {
	values := 0
	items := 0
	bytes := 0
	for _, log := range in.logs() {
		values += log.Values.Len()
		items += len(log.Items)
	}
	if max(values, items) > mostInput {
		return false
	}
	for _, log := range in.logs() {
		bytes += bytesOfTexts(log)
	}
	return bytes <= mostInputBytes
}

// bytesOfTexts returns the size of a log's texts and reasons in bytes. A text that several items share counts once, as in the file.
func bytesOfTexts(log *sources.Log) (n int) {
	known := map[string]bool{}
	for i := range log.Items {
		for _, text := range []string{log.Items[i].Question, log.Items[i].Text} {
			if !known[text] {
				known[text] = true
				n += len(text)
			}
		}
	}
	for _, s := range log.Values.All() {
		n += len(s.Reason)
	}
	return n
}

func (in *Input) logs() (logs []*sources.Log) {
	for _, log := range []*sources.Log{in.Judged, in.People, in.Since} {
		if log != nil {
			logs = append(logs, log)
		}
	}
	return logs
}

// WithoutReasons deletes the reasons that judges gave for their values. Reasons of failures stay.
func (in *Input) WithoutReasons() {
	for _, log := range in.logs() {
		for i, s := range log.Values.All() {
			if !s.Failed {
				s.Reason = ""
				log.Values.Set(i, s)
			}
		}
	}
}

// Inclusions returns the number of items with a probability of inclusion.
func (in *Input) Inclusions() int {
	known := maps.Clone(in.Options.Inclusion)
	if known == nil {
		known = map[string]float64{}
	}
	for _, log := range in.logs() {
		for i := range log.Items {
			if item := &log.Items[i]; item.About().Inclusion > 0 {
				known[item.ID] = item.About().Inclusion
			}
		}
	}
	return len(known)
}

// JSON returns the input as a file. It returns nil if the input is nil, or too large for an export.
func (in *Input) JSON() ([]byte, error) {
	if in == nil {
		return nil, nil
	}
	text, err := json.Marshal(in)
	if len(text) > mostInputBytes {
		text = nil
	}
	return text, err
}

// ReadInput reads an input file, which is untrusted. An error says what is wrong with it.
func ReadInput(path string) (*Input, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostInputBytes {
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", InputName, info.Size(), mostInputBytes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	in := &Input{}
	err = json.Unmarshal(text, in)
	if err == nil {
		in.Unknown, err = data.UnknownKeys(text, in)
	}
	if err == nil && len(in.Unknown) > 0 {
		err = in.readEarlier(text)
	}
	if err == nil {
		err = in.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", InputName, err)
	}
	if in.OneFile { // a path that no file has, so that nothing is opened
		in.Judged.Path = "\x00"
		in.People.Path = "\x00"
	}
	return in, nil
}

// readEarlier reads options of earlier versions: MeanBy and OfRun said that people, or both sides, come from a run.
func (in *Input) readEarlier(text []byte) error {
	var earlier struct {
		Options struct {
			MeanBy string
			OfRun  *stats.Resampling
		} `json:"options"`
	}
	err := json.Unmarshal(text, &earlier)
	if err != nil || in.Judged == nil {
		return err
	}
	in.Judged.Run = in.Judged.Run || earlier.Options.MeanBy != ""
	if draws := earlier.Options.OfRun; draws != nil {
		in.Options.Seed = draws.Seed
	}
	in.Unknown = data.Where(in.Unknown, func(key string) bool { return key != "options.MeanBy" && !strings.HasPrefix(key, "options.OfRun") })
	return nil
}

// check returns an error if an option or a look has a value that no command line can produce.
func (in *Input) check() error {
	o := in.Options
	switch {
	case in.Judged == nil:
		return errors.New("it has no log of a judge")
	case !in.fits():
		return fmt.Errorf("it has %s", TooLarge)
	case in.OneFile && in.People == nil:
		return errors.New("one_file needs the log of people")
	case o.Epsilon < 0 || o.Epsilon >= 1 || o.Margin < 0 || o.Margin >= 1 || o.LabelsFor < 0 || o.Budget < 0 || o.Worst < 0:
		return errors.New("an option is out of its range: Epsilon and Margin in [0, 1), LabelsFor, Budget and Worst not below 0")
	case !(o.Unread >= 0 && o.Unread < 1) || !(o.Sure >= 0 && o.Sure < 1):
		return errors.New("an option is out of its range: Unread and Sure in [0, 1)")
	case notPrice(o.LabelPrice) || slices.ContainsFunc(slices.Collect(maps.Values(o.CallPrices)), notPrice):
		return errors.New("an option is out of its range: LabelPrice and CallPrices from 0")
	}
	for id, p := range o.Inclusion {
		if !(p > 0 && p <= 1) {
			return fmt.Errorf("the inclusion probability of %q is %v; it must be in (0, 1]", id, p)
		}
	}
	if o.Looks == nil {
		return nil
	}
	last := 0
	for i, line := range o.Looks.Lines {
		if err := line.check(); err != nil {
			return fmt.Errorf("line %d of the looks: %w", i+1, err)
		}
		if line.Look < max(1, last) || line.Look > last+1 {
			return fmt.Errorf("line %d of the looks: look %d follows look %d", i+1, line.Look, last)
		}
		last = line.Look
	}
	if last != o.Looks.Last {
		return fmt.Errorf("the last look is %d, but its lines end with %d", o.Looks.Last, last)
	}
	return nil
}

// notPrice reports whether a number cannot be a price.
func notPrice(x float64) bool { return !(x >= 0) || !stats.IsFinite(x) }

// Result computes everything from the input. It may be called only once, because it changes the input.
func (in *Input) Result() (*Result, error) {
	now := in.Judged
	if in.Since != nil {
		now = now.Clone()
	}
	study, err := NewStudy(in.Judged, in.People, in.Options)
	if err != nil {
		return nil, err
	}
	return study.Compute(now, in.Since)
}

package parties

import (
	"context"
	"fmt"
	"slices"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/faithful"
	"compqa/judges/summary"
	"compqa/results/store"
)

// A SummaryJudge labels the contrastive tables of answers.
type SummaryJudge struct {
	store.Participant
	Provider string // offline: none
	Model    string
	Batch    bool
	Identity string
	Existing []data.SummaryLabels // of provider file: the labels there are
	label    summary.Judge        // nil for provider file
	claims   *faithful.Model      // nil: it does not label claims
}

// Summaries builds the configuration's judges of summaries. An entry with provider
// file may hold several, as their labels name them.
func Summaries(c *config.Config) (list []SummaryJudge, err error) {
	for _, ref := range c.Summaries {
		built, err := BuildSummaryJudges(c, ref)
		if err != nil {
			return nil, err
		}
		for _, j := range built {
			if slices.ContainsFunc(list, func(other SummaryJudge) bool { return other.Name == j.Name }) {
				return nil, c.Locate(config.At("summary_judges", ref.Name, fmt.Errorf("two entries give the summary judge %q", j.Name)))
			}
			list = append(list, j)
		}
	}
	return list, nil
}

// BuildSummaryJudges builds the judges of an entry: several of provider file.
func BuildSummaryJudges(c *config.Config, ref config.SummaryJudge) ([]SummaryJudge, error) {
	j := SummaryJudge{Participant: store.Participant{Name: ref.Name, Family: ref.Family}}
	switch ref.Provider {
	case config.ProviderEmbedded:
		j.Kind, j.About = config.KindEmbedded, "counting rules"
		j.label, j.Identity = summary.Rules()
		return []SummaryJudge{j}, nil
	case config.ProviderFile:
		return fileSummaryJudges(c, ref)
	}
	var err error
	var identity string
	if j.label, identity, err = summary.Model(summary.Options{Model: ref.Model, Options: ref.AllOptions(), Extra: ref.Extra,
		Repair: c.Run.Repair, Examples: ref.Examples}); err != nil {
		return nil, c.Locate(config.At("summary_judges", ref.Name, config.Named("summary judge", ref.Name, err)))
	}
	if ref.Claims {
		j.claims = &faithful.Model{Model: ref.Model, Options: ref.AllOptions(), Extra: ref.Extra, Repair: c.Run.Repair}
		identity += j.claims.Identity()
	}
	p := c.Providers[ref.Provider]
	j.Kind, j.About, j.Provider, j.Model, j.Batch = config.KindModel, ref.Model+" at "+ref.Provider, ref.Provider, ref.Model, ref.Batch
	j.Identity = config.HashOf(p.Type, p.Server(), identity, c.Run.Seed)
	return []SummaryJudge{j}, nil
}

func fileSummaryJudges(c *config.Config, ref config.SummaryJudge) (list []SummaryJudge, _ error) {
	labels, err := data.ReadLabels(c.Path(ref.Path))
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	for _, l := range labels {
		at := slices.IndexFunc(list, func(j SummaryJudge) bool { return j.Name == l.Judge })
		if at < 0 {
			at = len(list)
			list = append(list, SummaryJudge{Participant: store.Participant{Name: l.Judge, Kind: VerdictKind(l.Judge), Family: ref.Family,
				About: "labels from " + ref.Path}})
		}
		list[at].Existing = append(list[at].Existing, l)
	}
	for i := range list {
		list[i].Identity = config.HashOf(list[i].Existing)
	}
	return list, nil
}

// Reads reports whether it labels tables itself: its labels are not in a file.
func (j *SummaryJudge) Reads() bool { return j.label != nil }

// Claims reports whether it labels the claims of answers.
func (j *SummaryJudge) Claims() bool { return j.claims != nil }

// labelClaims lets a judge label the claims of an answer. One without a text is skipped.
func (j *SummaryJudge) labelClaims(ctx context.Context, ask run.Asker, q data.Question, a data.Answer) store.Labels {
	l := faithful.Labelled{Status: data.Skipped, Reason: "there is no text: the answer is " + string(a.Status)}
	if a.Status == data.Valid {
		l = j.claims.Label(ctx, q, a.Text, ask.Of(j.Provider, 1))
	}
	recorded := store.Labels{Judge: j.Name, Kind: data.LabelClaims, Status: l.Status, Reason: l.Reason, Raw: l.Raw}
	if l.Status == data.Valid {
		recorded.Labels = string(config.Encoded(l.Claims))
	}
	return recorded
}

// Label lets a judge label the table of an answer. An answer without one is skipped.
func (j *SummaryJudge) Label(ctx context.Context, ask run.Asker, q data.Question, a data.Answer, kind string) store.Labels {
	if kind == data.LabelClaims {
		return j.labelClaims(ctx, ask, q, a)
	}
	l := summary.Labelled{Status: data.Skipped, Reason: "there is no table: the answer is " + string(a.Status)}
	switch {
	case a.Status == data.Empty:
		l.Status, l.Reason = data.Labels{}.Check(kind, data.ContrastTable{})
	case a.Status != data.Valid || a.Table == nil:
	case j.label != nil:
		l = j.label(ctx, q, *a.Table, kind, ask.Of(j.Provider, 1))
	default:
		given := j.Existing[slices.IndexFunc(j.Existing, func(l data.SummaryLabels) bool { return l.Answer == a.ID })]
		l = summary.Labelled{Status: given.Status, Reason: given.Reason}
		if given.Status == data.Valid {
			l.Labels = given.Of(kind)
			if l.Status, l.Reason = l.Labels.Check(kind, *a.Table); l.Status != data.Valid {
				l.Labels, l.Raw = data.Labels{}, string(config.Encoded(l.Labels))
			}
		}
	}
	recorded := store.Labels{Judge: j.Name, Kind: kind, Status: l.Status, Reason: l.Reason, Raw: l.Raw}
	if l.Status == data.Valid {
		recorded.Labels = string(config.Encoded(l.Labels))
	}
	return recorded
}

package parties

import (
	"context"
	"slices"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/faithful"
	"compqa/judges/summary"
	"compqa/llm/structured"
	"compqa/results/store"
	"compqa/results/table"
)

// A SummaryJudge labels the contrastive tables of answers, or their claims.
type SummaryJudge struct {
	Party
	Existing []data.SummaryLabels // provider file: its labels
	label    summary.Judge        // nil for provider file
	claims   *faithful.Model      // nil: the judge does not label claims
}

// Summaries builds the configured summary judges. An entry with provider file gives one judge for each judge that the file names.
func Summaries(c *config.Config) ([]SummaryJudge, error) {
	return buildJudges(c, store.KindLabel, func(ref *config.Judge) ([]SummaryJudge, error) { return BuildSummaryJudges(c, *ref) })
}

// BuildSummaryJudges builds the summary judges of an entry. An entry of provider file may give several.
func BuildSummaryJudges(c *config.Config, ref config.Judge) ([]SummaryJudge, error) {
	switch ref.Provider {
	case config.ProviderEmbedded:
		j := SummaryJudge{Party: Party{Participant: store.Participant{Name: ref.Name, Kind: config.KindEmbedded, Family: ref.Family,
			About: "counting rules; they do not judge whether a row helps, or is relevant; English only"}}}
		j.label, j.Identity = summary.Rules()
		return []SummaryJudge{j}, nil
	case config.ProviderFile:
		labels, err := data.ReadLabels(c.Path(ref.Path))
		if err != nil {
			return nil, config.UsageError{Err: err}
		}
		groups := table.Grouped(labels, func(l data.SummaryLabels) string { return l.Judge })
		return data.Each(groups, func(labels []data.SummaryLabels) SummaryJudge {
			return SummaryJudge{Party: ofFile(labels[0].Judge, ref.Family, "labels from "+ref.Path, labels), Existing: labels}
		}), nil
	}
	j := SummaryJudge{Party: live(ref.Name, ref.Family, ref.Asked, ref.Batch)}
	label, identity, err := summary.Model(summary.Options{Model: ref.Model, Options: ref.AllOptions(), Extra: ref.Extra,
		Repair: c.Run.Repair, Examples: ref.TableExamples})
	if err != nil {
		return nil, c.Wrong("summary_judges", ref.Name, err)
	}
	j.label = label
	if ref.Claims {
		j.claims = &faithful.Model{Model: ref.Model, Options: ref.AllOptions(), Extra: ref.Extra, Repair: c.Run.Repair}
		identity += j.claims.Identity()
	}
	p := c.Providers[ref.Provider]
	j.Identity = config.HashOf(p.Type, p.Server(), identity, c.Run.Seed)
	return []SummaryJudge{j}, nil
}

// Labels reports whether the judge itself makes labels of a kind. A judge with labels in a file does not. The built-in rules do not label
// rows, because they cannot tell whether a row helps.
func (j *SummaryJudge) Labels(kind string) bool {
	if kind == data.LabelRows && j.Kind == config.KindEmbedded {
		return false
	}
	return j.label != nil && (kind != data.LabelClaims || j.claims != nil)
}

// Label asks a judge for the labels of one kind on an answer. An answer without a table, or for claims without a text, is skipped.
func (j *SummaryJudge) Label(ctx context.Context, ask run.Asker, q data.Question, a data.Answer, kind string) store.Labels {
	if kind == data.LabelClaims {
		l := faithful.Labelled{Status: data.Skipped, Reason: "there is no text: the answer is " + string(a.Status)}
		if a.Status == data.Valid {
			l = j.claims.Label(ctx, q, a.Text, ask.Of(j.Provider, 1))
		}
		return recordedLabels(j.Name, kind, l)
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
			l.Value = given.Of(kind)
			l.Status, l.Reason = l.Value.Check(kind, *a.Table)
			if l.Status != data.Valid {
				l.Raw = string(config.Encoded(l.Value))
			}
		}
	}
	return recordedLabels(j.Name, kind, l)
}

// recordedLabels returns labels in the form in which the record has them.
func recordedLabels[T any](judge, kind string, l structured.Result[T, data.Status]) store.Labels {
	r := store.Labels{Judge: judge, Kind: kind, Head: store.Head{Status: l.Status, Reason: l.Reason}, Raw: l.Raw}
	if l.Status == data.Valid {
		r.Labels = string(config.Encoded(l.Value))
	}
	return r
}

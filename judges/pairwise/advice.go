package pairwise

import (
	"context"
	"fmt"
	"strings"

	"compqa/data"
	"compqa/llm"
)

// AdviceRole returns the name of role r in the advising judge, whose rationale another judge is shown.
func AdviceRole(r Role) Role { return "rationale " + r }

// IsAdvice reports whether a role belongs to an advising judge.
func IsAdvice(r Role) bool { return strings.HasPrefix(string(r), "rationale ") }

// advised returns a judge that is shown the rationale of advisor on the same pair in the same order (Ye et al. 2024, Figure 3c: the
// rationale of a strong judge helps a weak one). The advisor's calls are the same as when it judges by itself, so they are made and paid
// for once. Without a rationale, the opinion has no choice.
func advised(advisor, judge Judge, name string) Judge {
	return func(ctx context.Context, s OrderedPair, ask Ask) Opinion {
		o := advisor(ctx, s, func(ctx context.Context, role Role, sample int, req llm.Request) (llm.Reply, error) {
			return ask(ctx, AdviceRole(role), sample, req)
		})
		switch {
		case o.Status != data.Valid:
			return noChoice(o.Status, "rationale of %s: %s", name, o.Reason)
		case o.Rationale == "":
			return noChoice(data.Unparsed, "%s gives no rationale", name)
		}
		return WithAdvice(judge, o.Rationale)(ctx, s, ask)
	}
}

// WithAdvice returns a judge that is shown this rationale of another judge.
func WithAdvice(judge Judge, rationale string) Judge {
	return func(ctx context.Context, s OrderedPair, ask Ask) Opinion {
		s.Advice = rationale
		return judge(ctx, s, ask)
	}
}

// Rationales reports whether the method explains its choices.
func (m Method) Rationales() bool {
	return m.Name == MethodConJ || m.Name == MethodCoT || m.Name == MethodCoTSelfCon
}

// Advised reports whether the method can be shown a rationale of the method by. Both must call the two answers by the same names.
func (m Method) Advised(by Method) bool {
	con := func(m Method) bool { return m.Name == MethodConJ || m.Name == MethodConJBare }
	return by.Rationales() && con(m) == con(by) && (con(m) || m.Name == MethodDirect || m.Name == MethodCoT || m.Name == MethodCoTSelfCon)
}

// checkAdvice returns an error if the options' Advisor cannot advise method m.
func (o *Options) checkAdvice(m Method) error {
	by, ok := MethodNamed(o.Advisor.Method)
	switch {
	case !ok || !by.Rationales():
		return fmt.Errorf("rationale_from must name a judge of method %s, which explain their choices", data.List(names(Method.Rationales)))
	case o.Advisor.Advisor != nil:
		return fmt.Errorf("rationale_from names a judge that has rationale_from itself")
	case !m.Advised(by):
		return fmt.Errorf("method %s cannot be shown a rationale of %s; %s can", m.Name, by.Name,
			data.List(names(func(m Method) bool { return m.Advised(by) })))
	}
	return nil
}

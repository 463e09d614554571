package pairwise

import (
	"context"
	"fmt"
	"strings"

	"compqa/data"
	"compqa/llm"
)

// AdviceRole returns the role of a model of the judge whose rationale another one is shown.
func AdviceRole(r Role) Role { return "rationale " + r }

// IsAdvice reports whether a role is one of the judge whose rationale is shown.
func IsAdvice(r Role) bool { return strings.HasPrefix(string(r), "rationale ") }

// advised shows a judge the rationale of another one on the same pair in the same order (Ye et al. 2024, Figure 3c: the
// rationale of a strong judge helps a weak one). The other judge's calls are those that it makes itself, so they are made
// and paid for once. Without a rationale the preference fails.
func advised(advisor, judge Judge, name string) Judge {
	return func(ctx context.Context, s Shown, ask Ask) Opinion {
		o := advisor(ctx, s, func(ctx context.Context, role Role, sample int, req llm.Request) (llm.Reply, error) {
			return ask(ctx, AdviceRole(role), sample, req)
		})
		switch {
		case o.Status != data.Valid:
			return without(o.Status, "rationale of %s: %s", name, o.Reason)
		case o.Rationale == "":
			return without(data.Unparsed, "%s gives no rationale", name)
		}
		return WithAdvice(judge, o.Rationale)(ctx, s, ask)
	}
}

// WithAdvice returns a judge that is shown a given rationale.
func WithAdvice(judge Judge, rationale string) Judge {
	return func(ctx context.Context, s Shown, ask Ask) Opinion {
		s.Advice = rationale
		return judge(ctx, s, ask)
	}
}

// Rationales reports whether the method explains its choices and Advised whether it can be shown
// the rationale of another judge.
func (m Method) Rationales() bool {
	return m.Name == MethodConJ || m.Name == MethodCoT || m.Name == MethodCoTSelfCon
}

// Advised reports whether the method can be shown the rationale of another one: both have to name the two answers alike.
func (m Method) Advised(by Method) bool {
	con := func(m Method) bool { return m.Name == MethodConJ || m.Name == MethodConJBare }
	return by.Rationales() && con(m) == con(by) && (con(m) || m.Name == MethodDirect || m.Name == MethodCoT || m.Name == MethodCoTSelfCon)
}

// checkAdvice checks the other judge of the options.
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

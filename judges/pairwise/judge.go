package pairwise

import (
	"context"
	"fmt"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
)

// An OrderedPair is a pair in the order in which a judge sees it.
type OrderedPair struct {
	ID            string
	Order         string // data.OrderAB or data.OrderBA
	Cluster       string // the cluster of the pair
	Question      string
	First, Second string
	Candidates    []string      // all texts of the pair's item, for a method that ranks them; nil means the two answers
	Gold          data.Choice   // the label of the pair, as shown; only methods with a hint use it
	About         data.Question // the comparative question; empty if the question is not comparative
	Advice        string        // the rationale of another judge, which calls the answers as in this order, or ""
	task          parsedTask
	first, second *traits // of First and Second; nil if OrderPair did not make the pair
	asked         *traits // of Question
}

// OrderPair returns a pair in one order.
func OrderPair(p data.Pair, order string) OrderedPair {
	about, comparative := p.Comparative()
	if !comparative {
		about = data.Question{}
	}
	return OrderedPair{ID: p.ID, Order: data.OrderAB, Cluster: p.Cluster, Question: p.Question, First: p.A, Second: p.B, Gold: p.Label,
		About: about,
		first: newTraits(about, p.Question, p.A), second: newTraits(about, p.Question, p.B), asked: newTraits(about, "", p.Question),
	}.InOrder(order)
}

// InOrder returns the pair in an order. In the other order it swaps the answers and the gold choice. What is computed of an answer in one
// order is not computed again in the other.
func (s OrderedPair) InOrder(order string) OrderedPair {
	if s.Order == order {
		return s
	}
	s.Order = order
	s.First, s.Second = s.Second, s.First
	s.first, s.second = s.second, s.first
	s.Gold = s.Gold.Swapped()
	return s
}

// A Judge says which of two answers is better.
type Judge func(ctx context.Context, s OrderedPair, ask Ask) Opinion

// A Role is the task of a model within a method.
type Role string

// The roles. Every method that asks models uses RolePreference.
const (
	RoleAspects     Role = "aspects"
	RoleComparisons Role = "comparisons"
	RoleComparator  Role = "comparator"
	RolePreference  Role = "preference"
)

// Ask sends a request to the model of a role. sample, from 1, distinguishes repetitions of one request. The caller records requests and
// replies.
type Ask func(ctx context.Context, role Role, sample int, req llm.Request) (llm.Reply, error)

// An Opinion is a judge's decision on a pair. Choice a is the answer shown first; Choice is empty unless Status is Valid.
type Opinion struct {
	Status    data.Status
	Choice    data.Choice
	Rationale string
	Reason    string // why the choice is missing
	Detail    data.Detail
}

// noChoice returns an opinion that has no choice, for the reason given.
func noChoice(status data.Status, format string, args ...any) Opinion {
	return Opinion{Status: status, Reason: fmt.Sprintf(format, args...)}
}

// choiceOpinion returns a valid opinion with this choice.
func choiceOpinion(c data.Choice, rationale string) Opinion {
	return Opinion{Status: data.Valid, Choice: c, Rationale: rationale}
}

// unanswered returns the opinion without a choice after a failed call.
func unanswered(role Role, err error) Opinion {
	return noChoice(scoring.StatusOf(err), "%s: %v", role, err)
}

// A repeated is a request that is sent n times. what says in error messages what the replies are ("votes").
type repeated struct {
	role    Role
	request llm.Request
	n       int
	what    string
}

// samples sends a request several times and passes each reply to read, which returns why the reply cannot be used, or "". samples returns
// the status of each sample. It also returns an opinion without a choice if the run was stopped, or if more than half of the samples are
// unusable.
func samples(ctx context.Context, ask Ask, request repeated, read func(sample int, reply string) string) ([]data.Status, *Opinion) {
	var statuses []data.Status
	var first Opinion // for the first unusable sample
	unusable := 0
	for sample := 1; sample <= request.n; sample++ {
		o := Opinion{Status: data.Valid}
		if reply, err := ask(ctx, request.role, sample, request.request); err != nil {
			o = unanswered(request.role, err)
		} else if reason := read(sample, reply.Text); reason != "" {
			o = Opinion{Status: data.Unparsed, Reason: reason}
		}
		if o.Status == data.Pending {
			return nil, &o
		}
		if o.Status != data.Valid {
			unusable++
			if unusable == 1 {
				first = o
			}
		}
		statuses = append(statuses, o.Status)
	}
	if 2*unusable <= request.n {
		return statuses, nil
	}
	o := noChoice(first.Status, "%d of %d %s are unusable; the first: %s", unusable, request.n, request.what, first.Reason)
	return statuses, &o
}

package data

// A ClaimLabel says how a claim of an answer relates to the arguments of its question.
type ClaimLabel string

// OfflineClaims is the judge that labels claims in every run, without a model, and LabelClaims
// the kind of these labels in a record.
const (
	OfflineClaims = "faithful"
	LabelClaims   = "claims"
)

// The labels of claims.
const (
	Supported    ClaimLabel = "supported"
	Contradicted ClaimLabel = "contradicted"
	Unsupported  ClaimLabel = "unsupported" // not in the arguments
)

// A Claim is a sentence of an answer's body, or a part of one up to a semicolon, that names an object or stands under
// an object's name. Argument is the number, from 1, of the argument that decides its label; 0: none.
type Claim struct {
	Text     string     `json:"text,omitempty"` // not recorded where it can be read again
	Argument int        `json:"argument,omitempty"`
	Label    ClaimLabel `json:"label"`
	Quote    string     `json:"quote,omitempty"` // from the argument; a model must give one
}

// Claims are the labels of an answer. ChoiceAgrees says whether the answer chooses the
// object that most arguments favour. It is nil where the answer makes no choice, or no
// object has more arguments. Version is of the program that made them.
type Claims struct {
	Version      int     `json:"version"`
	Claims       []Claim `json:"claims"`
	ChoiceAgrees *bool   `json:"choice_agrees,omitempty"`
}

// Count counts the claims by label.
func (c Claims) Count() (supported, contradicted, unsupported int) {
	for _, claim := range c.Claims {
		switch claim.Label {
		case Supported:
			supported++
		case Contradicted:
			contradicted++
		default:
			unsupported++
		}
	}
	return supported, contradicted, unsupported
}

// flaggedShare was chosen on the questions with an odd index of the built-in set and of the
// file silver_50x3.json of cam-arg-relevance (see docs/judges.md).
const flaggedShare = 0.45

// Flagged reports whether more than 0.45 of what the arguments decide on is contradicted:
// of the claims, and the choice as one more.
func (c Claims) Flagged() bool {
	supported, contradicted, _ := c.Count()
	if c.ChoiceAgrees != nil {
		if *c.ChoiceAgrees {
			supported++
		} else {
			contradicted++
		}
	}
	return float64(contradicted) > flaggedShare*float64(supported+contradicted)
}

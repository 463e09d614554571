package data

// A ClaimLabel says how a claim of an answer relates to the arguments of its question.
type ClaimLabel string

// OfflineClaims is the judge that labels claims in every run without a model. LabelClaims is the kind of its labels in a record.
const (
	OfflineClaims = "faithful"
	LabelClaims   = "claims"
)

// The labels of claims.
const (
	Supported    ClaimLabel = "supported"
	Contradicted ClaimLabel = "contradicted"
	Unsupported  ClaimLabel = "unsupported" // no argument decides it
)

// A Claim is a sentence of an answer, or a part of it up to a semicolon, that names an object or stands under an object's name. Argument is
// the number, from 1, of the argument that decides the label; 0 means none.
type Claim struct {
	Text     string     `json:"text,omitempty"` // not recorded if it can be read from the answer again
	Argument int        `json:"argument,omitempty"`
	Label    ClaimLabel `json:"label"`
	Quote    string     `json:"quote,omitempty"` // quote from the argument; a model must give one
}

// Claims are the labels of an answer's claims. ChoiceAgrees says whether the answer chooses the object that most arguments favour. It is
// nil if the answer makes no choice, or the arguments favour no object. Version is the version of the program that labelled the claims.
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

// flaggedShare is the threshold of Flagged. It was chosen on the questions with an odd index of the built-in set and of the file
// silver_50x3.json of cam-arg-relevance (see docs/judges.md).
const flaggedShare = 0.45

// Flagged reports whether more than 0.45 of the decided claims are contradicted. Supported and contradicted claims are decided; the
// answer's choice counts as one more claim.
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

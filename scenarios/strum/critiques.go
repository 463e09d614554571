package strum

import "compqa/data"

// A critique asks a model for one kind of fault in the values or rows of a table. Faulty values or rows are deleted, or revised in one
// further call.
type critique struct {
	Name    string
	About   string // for the manual
	stage   string // the stage whose result it criticises
	Fault   string // the fault, as the prompt of the critique describes it
	Improve string // the prompt of the revision; "" if faulty values or rows are deleted
}

var critiques = []critique{
	{"context", "values without enough context are extracted again", StageExtract,
		`the value cannot be understood by itself, or says too little: it is not said what is good, bad, more or less (such as "good" for a ` +
			`view: from where?).`, "again"},
	{"entity", "values of another object are deleted", StageExtract,
		"the statement is about another object: the other one of the comparison, or one with a similar name (another model, version or place).",
		""},
	{"unhelpful", "values that do not help to choose are deleted", StageExtract,
		"the attribute does not help anybody to choose between the two objects, or the statement says nothing about it.", ""},
	{"orthogonal", "rows whose values cannot be compared are contrasted again", StageContrast,
		"the values of the two objects are about different things under the same name, so that they cannot be compared (such as fun to " +
			"drive, and accurate, for the steering).",
		"Put values together that are about the same thing; name the attribute by it; split the row if it is about several things."},
	{"inconsistent", "of contradicting values, the majority is kept", StageContrast,
		"the values of one object contradict one another (such as cheap and expensive).",
		"Keep the values that more sources support, and leave out those of the minority."},
	{"useful", "rows that do not help to choose are deleted", StageContrast,
		"the row does not help anybody to choose between the two objects.", ""},
	{"merge", "rows and values are merged or split", StageContrast,
		"the row is about the same attribute as another row, or it is about several attributes at once, or values of one object in it say " +
			"the same.",
		"Make one row for each attribute, and one value of each statement."},
	{"long", "long claims are divided into short ones", StageContrast,
		"a value is longer than about twenty words, or makes several claims at once.",
		"Make one short value of each claim."},
}

// reason returns the reason that a table gives for rows or values that the critique dropped.
func (c critique) reason() string {
	if c.Name == "entity" {
		return WrongEntity
	}
	return "critique " + c.Name
}

// CritiqueNames returns the names of all critiques, in the order of their calls.
func CritiqueNames() []string { return data.Each(critiques, func(c critique) string { return c.Name }) }

package data

// A SystemBias is a judge's mean difference from people on the answers of a system, in points, where the
// judge was fitted without the system.
type SystemBias struct {
	System string  `csv:"system" json:"system"`
	N      int     `csv:"n" json:"n"` // answers
	Bias   float64 `csv:"bias" json:"bias"`
	SE     float64 `csv:"se" json:"se"` // clustered by question
}

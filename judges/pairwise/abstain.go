package pairwise

// A judge with Options.Abstain may say that a pair is hard to judge, in place of a choice (Ye et
// al. 2024, A.4, propose it). That is the status data.Abstained: neither a tie nor a number.

// Abstains reports whether the method can be asked to abstain.
func (m Method) Abstains() bool {
	return m.Live() && !m.Hinted && !m.Scores && m.Name != MethodCoTSelfCon && m.Name != MethodSC2SelfCon
}

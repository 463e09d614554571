package config

import "compqa/judges/scoring"

// Kinds of systems and judges.
const (
	KindBaseline = "baseline"
	KindFile     = "file"
	KindModel    = "model"
	KindImported = "imported"
	KindEmbedded = scoring.KindEmbedded
	KindFloor    = scoring.KindFloor
	KindHuman    = "human"
)

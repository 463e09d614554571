package config

// Kinds of systems and judges.
const (
	KindBaseline = "baseline"
	KindFile     = "file"
	KindModel    = "model"
	KindImported = "imported"
	KindEmbedded = "embedded"
	KindFloor    = "floor"
	KindHuman    = "human"
)

// Package pairs has the commands about pairs beside a run: what is written from sampled judgments
// and from LLMBar's completions, the calibration of surface-pair, and SC2's human study.
package pairs

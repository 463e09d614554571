// Package surface has the judge that predicts human scores from text measurements, and the calibration that fits it.
package surface

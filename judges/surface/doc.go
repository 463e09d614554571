// Package surface is the judge that expects people's scores from text measurements, and
// the calibration that it is fitted with.
package surface

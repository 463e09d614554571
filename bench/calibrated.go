package bench

import (
	"context"
	"fmt"
	"io"

	"compqa/judges"
)

// recordCalibrated puts the verdicts of a calibrated judge into a run's record.
func recordCalibrated(ctx context.Context, dir string, fitted *judges.Calibration, w io.Writer) error {
	return fmt.Errorf("not yet")
}

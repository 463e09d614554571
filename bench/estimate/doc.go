// Package estimate predicts the calls, tokens, costs and time of a run. It walks the tasks
// that the run would do, with an asker that counts requests instead of making them.
package estimate

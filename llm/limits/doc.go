// Package limits holds requests to one server back: so many at once, so many requests
// and tokens a minute, a pause where the server asks for one, and none beyond a budget.
//
// Calls are let through in the order in which they came. Concurrency adapts to what the
// server can handle, up to the declared number.
package limits

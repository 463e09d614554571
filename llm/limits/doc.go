// Package limits delays requests to one server: it limits requests in flight, requests
// and tokens per minute, and costs (the budget), and it pauses if the server asks for it.
//
// Calls proceed in the order in which they arrived. Concurrency adapts to what the server
// can handle, up to the declared number.
package limits

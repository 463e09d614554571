// Package client makes calls: limits, retries, costs and the removal of secrets around the
// one request that a protocol knows how to make.
package client

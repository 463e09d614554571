// Package client makes calls to models. Around the single requests of a protocol it adds
// limits, retries and cost accounting, and it removes secrets.
package client

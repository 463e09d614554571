// Package scoring defines what a judge is. All packages of judges import it, and it imports none of them.
package scoring

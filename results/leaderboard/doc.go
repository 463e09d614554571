// Package leaderboard computes points by judge, system and scenario, with intervals, ranks and the differences of systems.
package leaderboard

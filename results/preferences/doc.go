// Package preferences computes the tables of pairwise judges: accuracy, consistency
// over both orders, bias, strengths of systems and costs.
package preferences

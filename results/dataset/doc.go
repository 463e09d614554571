// Package dataset is what tables are computed from: the rows of one or several
// records in memory, in a fixed order, with the places in tables that they belong to.
//
// The order of rows does not depend on the order in which they were recorded, so that
// the same record gives the same bytes.
package dataset

// Package dataset holds the rows of one or several records in memory, in a fixed order,
// with their positions in the tables. All tables are computed from it.
//
// The order of rows does not depend on the order of recording, so that the same record gives the same bytes.
package dataset

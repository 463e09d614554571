// Package summaries measures contrastive tables (Gunel et al., STRUM-LLM): whether rows help,
// redundancy, inconsistency, ranking, attribution, throughput and distinctiveness, and how far
// judges agree on them.
//
// The unit is a summary, and intervals are clustered by question. A summary without rows, or
// without valid labels, is planned and has no value. The figures of the paper are
// shown for comparison, and are never ranked with others.
package summaries

package data

// A Status says whether an answer or a verdict exists, and if not, why. Only Valid ones become numbers. In tables, the number of planned
// ones is the sum over all statuses.
type Status string

// The statuses, in the order in which reports list them.
const (
	Valid            Status = "valid"
	Partial          Status = "partial"           // a person's sheet with gaps; its scores count for single criteria
	Unparsed         Status = "unparsed"          // the reply has no scores
	Abstained        Status = "abstained"         // a pairwise judge cannot decide between the answers
	Incomplete       Status = "incomplete"        // a criterion has no score
	OutOfRange       Status = "out_of_range"      // a score that its criterion does not allow
	UnknownCriterion Status = "unknown_criterion" // a score for a criterion that is not in the rubric
	Refused          Status = "refused"           // the model declined
	Truncated        Status = "truncated"         // the reply was cut off
	Empty            Status = "empty"             // a summary without rows, or the labels of one
	Failed           Status = "failed"            // no usable reply after all attempts
	Skipped          Status = "skipped"           // not asked, for a known reason
	Pending          Status = "pending"           // not asked yet
)

// Statuses lists all statuses in the order of reports.
var Statuses = []Status{Valid, Partial, Unparsed, Abstained, Incomplete, OutOfRange, UnknownCriterion, Refused, Truncated, Empty, Failed,
	Skipped, Pending}

// Retryable reports whether another call could give another result, because the call failed or its reply was invalid.
func (s Status) Retryable() bool {
	return s != Valid && s != Partial && s != Skipped && s != Pending && s != Empty && s != Abstained
}

// Unreadable reports whether a complete reply exists that does not have the requested form.
func (s Status) Unreadable() bool {
	return s == Unparsed || s == Incomplete || s == OutOfRange || s == UnknownCriterion
}

// FromReply reports whether the status was determined from a complete reply.
func (s Status) FromReply() bool { return s == Valid || s == Abstained || s.Unreadable() }

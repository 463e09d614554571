package data

// A Status says whether an answer or a verdict exists, and if not, why. Only Valid ones
// become numbers. In every table, planned is the sum over all statuses.
type Status string

// The statuses, in the order in which reports list them.
const (
	Valid            Status = "valid"
	Partial          Status = "partial"           // a person's sheet with gaps: its values count on single criteria
	Unparsed         Status = "unparsed"          // no scores in the reply
	Abstained        Status = "abstained"         // a pairwise judge finds the pair hard to judge
	Incomplete       Status = "incomplete"        // a criterion has no score
	OutOfRange       Status = "out_of_range"      // a score that its criterion does not allow
	UnknownCriterion Status = "unknown_criterion" // a score for a criterion that is not in the rubric
	Refused          Status = "refused"           // the model declined
	Truncated        Status = "truncated"         // the reply was cut off
	Empty            Status = "empty"             // a summary without rows, and labels of it
	Failed           Status = "failed"            // no usable reply, after all attempts
	Skipped          Status = "skipped"           // not asked, for a reason
	Pending          Status = "pending"           // not asked yet
)

// Statuses lists all of them in reporting order.
var Statuses = []Status{Valid, Partial, Unparsed, Abstained, Incomplete, OutOfRange, UnknownCriterion, Refused, Truncated, Empty, Failed,
	Skipped, Pending}

// Retryable reports whether another call could give another result: the call or its reply was invalid.
func (s Status) Retryable() bool {
	return s != Valid && s != Partial && s != Skipped && s != Pending && s != Empty && s != Abstained
}

// Unreadable reports whether there is a complete reply, but not in the form that was asked for.
func (s Status) Unreadable() bool {
	return s == Unparsed || s == Incomplete || s == OutOfRange || s == UnknownCriterion
}

// FromReply reports whether it follows from a complete reply.
func (s Status) FromReply() bool { return s == Valid || s == Abstained || s.Unreadable() }

package rubric

// CQA is the built-in rubric: 15 criteria, 19 points, groups structure (7),
// relevance (5) and quality (7). Facts from Nikishina et al., Figure 3; words
// are ours. Scores go in half points, so that the mean of two annotators, and a
// judge that cannot decide between two levels, have a place.
func CQA() Rubric {
	const structure, relevance, quality = "structure", "relevance", "quality"
	levels := func(texts ...string) []Level {
		out := make([]Level, len(texts))
		for i, t := range texts {
			out[i] = Level{Points: float64(i), Text: t}
		}
		return out
	}
	return Rubric{
		Name:        "cqa",
		Step:        0.5,
		Measurement: "interval",
		Criteria: []Criterion{
			{"1", structure, "introduction", "The answer opens with a short introduction.", levels(
				"There is no introduction, or it runs on for too long.",
				"The introduction is there, and it is brief and to the point.")},
			{"2", structure, "specific aspects", "Specific aspects carry the comparison from start to end.", levels(
				"The comparison wanders; no specific aspects guide it.",
				"The objects are compared on specific aspects.")},
			{"3", structure, "aspects introduced", "The introduction names the aspects that matter most.", levels(
				"There is no introduction, or it names no aspect.",
				"The introduction names several of the most important aspects.")},
			{"4", structure, "aspects kept apart", "The main body of the comparison is well organised.", levels(
				"Aspects run into each other, so that the structure is hard to follow.",
				"Each aspect has its own logical place, apart from the others.")},
			{"5", structure, "aspect names", "The aspects in the main body have names.", levels(
				"No aspect is given a name; the comparison stays vague.",
				"Every aspect in the main body has a name of its own.")},
			{"6", structure, "aspect descriptions", "The aspects in the main body are described.", levels(
				"No aspect is described; the comparison stays vague.",
				"Every aspect in the main body has a description of its own.")},
			{"7", structure, "explicit choice", "The final choice is stated explicitly.", levels(
				"No choice is stated, or it comes wrapped in a long justification.",
				"The choice is stated briefly and explicitly.")},
			{"8", relevance, "general to specific", "The aspects in the main body are ordered by how generally they apply.", levels(
				"The statements are in no order.",
				"General and important statements come first, specific ones towards the end.")},
			{"9", relevance, "relevant arguments",
				"Every argument bears on the aspect asked about; where none is asked about, the arguments are general and do not lean towards any " +
					"one aspect.", levels(
					"Most arguments are beside the point.",
					"Most arguments are to the point.",
					"All arguments are to the point.")},
			{"10", relevance, "both objects compared", "Every argument compares both objects, and each argument is assessed separately.", levels(
				"Some arguments compare nothing.",
				"Some arguments speak of one object only.",
				"All arguments compare both objects.")},
			{"11", quality, "factual", "Nothing is made up, and nothing contradicts common knowledge.", levels(
				"Much is made up, or there are grave factual errors.",
				"Some things are made up, but most are right.",
				"Nothing is made up; the facts are right.")},
			{"12", quality, "language", "The language is proper and the comparison easy to follow.", levels(
				"Hard to read, illogical, or profane.",
				"Some grammatical slips, or some broken logic.",
				"No grammatical slips; structure and logic are good.")},
			{"13", quality, "no repetition", "No statement repeats another or comes close to it.", levels(
				"Some statements say nearly the same as others.",
				"Every statement is unique.")},
			{"14", quality, "conclusion follows",
				"The final answer follows from the statements of the main body and heeds the main aspect, if there is one. Where all statements " +
					"favour one object, that object is the answer; where both objects come out equally good or equally bad, neither is preferred and " +
					"the answer is inconclusive.", levels(
					"The final answer does not follow from the arguments or ignores the main aspect, or there is no final answer.",
					"The final answer follows from the majority of the arguments and from the main aspect, if there is one.")},
			{"15", quality, "length", "The answer is neither too short nor too long.", levels(
				"Fewer than 12 sentences, or more than 20.",
				"From 12 to 20 sentences.")},
		},
	}
}

package text

import (
	"strings"

	"compqa/judges/text/lexical"
)

// assignRoles sets the role of every block: as headings say, if there are any. Otherwise the text before the first list item or named
// aspect is the introduction, and text after the last one that begins like a conclusion is the conclusion.
func (a *Analysis) assignRoles() {
	now := noRole
	titled := false
	body := false // titled: a heading names the introduction; body: the body has begun
	for i := range a.blocks {
		now = a.roleAt(i, now, body)
		titled = titled || now == introRole && a.parts[i].namedRole != noRole
		body = body || now == bodyRole
		a.parts[i].role = now
	}
	a.openIntroduction(titled)
	a.closeConclusion()
	if !titled {
		a.plainProse()
	}
}

// roleAt returns the role of block i. now is the role of the block before it; body tells whether the body has begun.
func (a *Analysis) roleAt(i int, now role, body bool) role {
	b := a.blocks[i]
	if b.name == "" {
		if b.kind != paragraph && (now == noRole || now == introRole) {
			return bodyRole
		}
		return now
	}
	said := a.parts[i].namedRole
	if b.kind >= item && (said == bodyRole || said == introRole || said == summaryRole) {
		said = noRole
	}
	if i == 0 && (said == bodyRole && b.kind == heading || a.opensWithColon()) { // the answer's title
		return noRole
	}
	switch said {
	case noRole:
		switch {
		case now == choiceRole && (a.parts[i].objects != 0 || b.kind >= item || b.text == ""):
			return choiceRole
		case now == conclusionRole && b.kind != heading, now == sourcesRole:
			return now
		}
		return bodyRole
	case summaryRole:
		if body {
			return conclusionRole
		}
		return introRole
	case bodyRole:
		if now == sourcesRole {
			return sourcesRole
		}
	}
	return said
}

// openIntroduction gives the text before the body the role of introduction, unless a heading names an introduction (titled). Without
// such text, the introduction is the text between the body's heading and its first list item or aspect.
func (a *Analysis) openIntroduction(titled bool) {
	found := titled
	for i := range a.parts {
		if a.parts[i].role != noRole {
			break
		}
		if !titled {
			a.parts[i].role = introRole
			found = found || a.blocks[i].text != ""
		}
	}
	if found {
		return
	}
	for i, b := range a.blocks {
		switch {
		case a.parts[i].role != bodyRole, b.kind == heading && a.parts[i].namedRole == bodyRole:
		case b.kind == paragraph && b.name == "":
			a.parts[i].role = introRole
		default:
			return
		}
	}
}

// opensWithColon reports whether the answer opens with a sentence that only looks like a label, as in "The old question: tea or coffee?
// Both …". In contrast, more labels follow a first aspect, "Price: …".
func (a *Analysis) opensWithColon() bool {
	b := a.blocks[0]
	if b.kind != paragraph || b.level != labelLevel || a.namedIn(b.text) != lexical.Both {
		return false
	}
	return len(a.blocks) > 1 && (a.blocks[1].kind != paragraph || a.blocks[1].name == "")
}

// closeConclusion finds a conclusion that has no heading, among the unnamed blocks at the end of the body. It begins with the first
// paragraph that opens like one ("Overall, …") and has no list after it, except a list that it announces with a colon. Without
// such paragraph, the conclusion is all paragraphs after the last list item or named block, if an empty line precedes them.
func (a *Analysis) closeConclusion() {
	end := len(a.blocks)
	for end > 0 && a.parts[end-1].role != bodyRole {
		if a.parts[end-1].role == conclusionRole {
			return
		}
		end--
	}
	start := end
	list := end // after the last list item
	for i := end - 1; i > 0 && a.parts[i].role == bodyRole && a.blocks[i].name == ""; i-- {
		b := a.blocks[i]
		switch {
		case b.kind != paragraph:
			list = min(list, i+1)
		case (list == end || strings.HasSuffix(b.text, ":")) && a.opensWith(b.text, lexical.Closing):
			start = i
		}
	}
	if start == end {
		for start > 0 && a.parts[start-1].role == bodyRole && a.blocks[start-1].kind == paragraph && a.blocks[start-1].name == "" {
			start--
		}
		if start == 0 || start == end || a.blocks[start-1].kind == heading || a.blocks[start-1].text == "" || !a.blocks[start].gap {
			return
		}
	}
	for i := start; i < end; i++ {
		a.parts[i].role = conclusionRole
	}
}

// plainProse divides an answer without lists and named aspects. Of several paragraphs, the first is the introduction. The last is the
// conclusion if it opens like one and no heading marks another conclusion. The others are the body.
func (a *Analysis) plainProse() {
	var prose []int
	concluded := false
	for i, p := range a.parts {
		switch {
		case p.role == bodyRole:
			return
		case p.role == introRole && a.blocks[i].text != "":
			prose = append(prose, i)
		}
		concluded = concluded || p.role == conclusionRole
	}
	if len(prose) < 2 {
		a.oneParagraph = len(prose) == 1
		return
	}
	for _, i := range prose[1:] {
		a.parts[i].role = bodyRole
	}
	if last := prose[len(prose)-1]; !concluded && a.opensWith(a.blocks[last].text, lexical.Closing) {
		a.parts[last].role = conclusionRole
	}
}

// opensWith reports whether a text begins with a cue of kind c.
func (a *Analysis) opensWith(text string, c lexical.Cue) bool {
	const enough = 60 // bytes, for the longest cue
	var buffer [enough / 3]lexical.Token
	return lexical.Cues.Opens(lexical.Tokens(buffer[:0], text[:min(len(text), enough)]), c)
}

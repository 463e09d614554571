package archive

import (
	"slices"
	"strings"
	"testing"

	"compqa/results/humanpoints"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/report"
	"compqa/stats"
)

// TestOtherRules: if another version computed a cell by another rule, its column is listed as not compared. This also holds in the folder
// of a validation's tables, and if this version lacks the column. A cell of this version, or one that no rule covers, is a difference.
func TestOtherRules(t *testing.T) {
	t.Parallel()
	const table, forged = "judge,n,replaces\na,4,no\nb,9,yes\n", "judge,n,replaces\na,4,yes\nb,9,yes\n"
	const costs, board = "kind,name,cost_per_1000,alpha_per_dollar\n", "judge,system,scenario,rank\n"
	const agreed = "judge,alpha,alpha_low,alpha_high\n"
	const ours = costs + "answer,a,.28,\nverdict,j,.28,-2\n"
	const means, points = "judge,system,scenario,human_mean\n", "judge,system,predicted\n"
	const ranks = board + "j,few,all,\nj,base,all,\nj,many,all,1\n"
	var r report.Report
	r.Leaderboard = &leaderboard.Tables{Board: []leaderboard.LeaderboardRow{
		{Judge: "j", System: "few", Scenario: "all", Rank: stats.MissingFigure(stats.NotEnough("too few"))}, {Judge: "j", System: "base", Scenario: "all"},
		{Judge: "j", System: "many", Scenario: "all", NHuman: stats.Count(10)}}}
	r.Quality = &judgequality.Tables{HumanPoints: &humanpoints.Tables{Rows: []humanpoints.Row{
		{Judge: "j", System: "few", Human: 9}, {Judge: "j", System: "many", Human: 10}}}}
	may := otherRules(&r)
	for _, c := range []struct {
		name, there, here string
		may               rules
		want              []string // columns that are listed as not compared
		difference        bool
	}{
		{"validation/validation.csv", table, table, may, nil, false},
		{"validation/validation.csv", forged, table, may, []string{"replaces"}, false},
		{"validation/validation.csv", forged, "judge,n\na,4\nb,9\n", may, []string{"replaces"}, false},
		{"validation/validation.csv", forged, table, nil, nil, true},
		{"validation/pairs.csv", forged, table, may, nil, true},
		{"validation/validation.csv", strings.Replace(forged, "9", "8", 1), table, may, nil, true},
		{"costs.csv", costs + "answer,a,.28,\nverdict,j,.21,-3\n", ours, may, []string{"cost_per_1000", "alpha_per_dollar"}, false},
		{"costs.csv", costs + "answer,a,.28,\nverdict,j,.21,-3\n", ours, nil, nil, true},
		{"costs.csv", costs + "answer,a,.21,\nverdict,j,.28,-2\n", ours, may, nil, true},
		{"costs.csv", costs + "answer,a,.28,\nverdict,j,.35,-2\n", ours, may, nil, true},
		{"costs.csv", costs + "answer,a,.28,\nverdict,j,,-2\n", ours, may, nil, true},
		{"costs.csv", costs + "answer,a,.28,\nverdict,j,.21,3\n", ours, may, nil, true},
		{"judges.csv", "judge,cost_per_1000\nj,.21\n", "judge,cost_per_1000\nj,.28\n", may, []string{"cost_per_1000"}, false},
		{"judges.csv", "judge,cost_per_1000\nj,.35\n", "judge,cost_per_1000\nj,.28\n", may, nil, true},
		{"judges.csv", "judge,tau_people\nj,1\n", "judge,tau_people\nj,\n", may, []string{"tau_people"}, false},
		{"judges.csv", "judge,tau_people\nj,2\n", "judge,tau_people\nj,\n", may, nil, true},
		{"judges.csv", "judge,tau_people\nj,1\n", "judge,tau_people\nj,.5\n", may, nil, true},
		{"worth.csv", "judge,p_below_0667\nj,.063\n", "judge,p_below_0667\nj,.06\n", may, []string{"p_below_0667"}, false},
		{"worth.csv", "judge,p_below_0667\nj,1.063\n", "judge,p_below_0667\nj,.06\n", may, nil, true},
		{"agreement.csv", agreed + "j,.5,.2,.8\n", agreed + "j,.5,.3,\n", may, []string{"alpha_low", "alpha_high"}, false},
		{"agreement.csv", agreed + "j,.5,,\n", agreed + "j,.5,.3,.6\n", may, []string{"alpha_low", "alpha_high"}, false},
		{"agreement.csv", agreed + "j,.5,.2,.8\n", agreed + "j,.5,.3,.6\n", nil, nil, true},
		{"agreement.csv", agreed + "j,.5,.6,.8\n", agreed + "j,.5,.3,.8\n", may, nil, true},
		{"agreement.csv", agreed + "j,.5,.3,.4\n", agreed + "j,.5,.3,.8\n", may, nil, true},
		{"agreement.csv", agreed + "j,.6,.3,.8\n", agreed + "j,.5,.3,.8\n", may, nil, true},
		{"agreement.csv", agreed + "j,.5,Inf,.8\n", agreed + "j,.5,.3,.8\n", may, nil, true},
		{"costs.csv", "kind,name,cost,cost_low\na,b,2,1\n", "kind,name,cost,cost_low\na,b,2,1.5\n", may, nil, true},
		{"leaderboard.csv", board + "j,few,all,2\nj,base,all,\nj,many,all,1\n", ranks, may, []string{"rank"}, false},
		{"leaderboard.csv", board + "j,few,all,2\nj,base,all,\nj,many,all,1\n", ranks, nil, nil, true},
		{"leaderboard.csv", board + "j,few,all,first\nj,base,all,\nj,many,all,1\n", ranks, may, nil, true},
		{"leaderboard.csv", board + "j,few,all,2\nj,base,all,3\nj,many,all,1\n", ranks, may, nil, true},
		{"leaderboard.csv", board + "j,few,all,1\nj,base,all,\nj,many,all,2\n", ranks, may, nil, true},
		{"leaderboard.csv", means + "j,few,all,2\nj,many,all,3\n", means + "j,few,all,\nj,many,all,3\n", may, []string{"human_mean"}, false},
		{"leaderboard.csv", means + "j,few,all,2\nj,many,all,3\n", means + "j,few,all,2\nj,many,all,\n", may, nil, true},
		{"human_points.csv", points + "j,few,2\nj,many,3\n", points + "j,few,2\nj,many,3.1\n", may, []string{"predicted"}, false},
		{"human_points.csv", points + "j,few,2\nj,many,3\n", points + "j,few,2.1\nj,many,3\n", may, nil, true},
		{"validation/validation.csv", "judge,lambda\nj,.2\n", "judge,lambda\nj,.3\n", may, []string{"lambda"}, false},
		{"validation/validation.csv", "judge,lambda\nj,1.2\n", "judge,lambda\nj,.3\n", may, nil, true},
	} {
		got, err := compareCSV(c.name, strings.NewReader(c.there), strings.NewReader(c.here), c.may)
		if (err != nil) != c.difference || !slices.Equal(got.otherwise, c.want) {
			t.Errorf("%s %q, this version's: %t: %+v, %v", c.name, c.there, c.may == nil, got, err)
		}
	}
}

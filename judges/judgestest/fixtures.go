package judgestest

import "compqa/data"

var TeaCoffee = data.Question{Object1: "tea", Object2: "coffee"}

// FullAnswer has the structure that the paper's third scenario asks for: introduction, aspects on both objects, one of them
// about each object apart, and the choice on its own line. It holds 15 sentences: 3 and 12.
const FullAnswer = `**Summary**

Tea and coffee are the two hot drinks that most people begin their day with. They differ in price, taste, and effect. Which of them suits an office better is the question here.

**Main Aspects of Comparison**

- **Price**: A pot of tea costs a few cents, while coffee needs a machine and beans. Over a year tea is cheaper than coffee.
- **Taste**: Coffee is bitter and strong, and tea is mild. People argue about this without end.
- **Effect**:
  - **Tea**: It wakes you slowly and for hours.
  - **Coffee**: It wakes you at once, and the effect is gone by noon.
- **Preparation**: Tea is easy to prepare, but coffee is complicated. A kettle serves for tea and for nothing else.
- **Health**: Both tea and coffee hold caffeine, of which tea has less. Doctors see no risk in either of them at three cups a day.
- **Waste**: Tea leaves rot in the garden, whereas coffee capsules fill the bin. Paper filters for coffee rot like tea bags.

**The Best Option**

Tea
`

package table

import (
	"encoding/json"
	"fmt"
	"reflect"

	"compqa/stats"
)

// Rows are rows that JSON shows as objects with the columns of the CSV file. A missing figure is null.
type Rows[Row any] []Row

// MarshalJSON writes the rows. Without rows it writes an empty list, not null.
func (rows Rows[Row]) MarshalJSON() ([]byte, error) { return json.Marshal(rows.objects()) }

// objects returns the rows as a slice of type JSONType.
func (rows Rows[Row]) objects() any {
	list := reflect.MakeSlice(rows.JSONType(), len(rows), len(rows))
	columns := columnsOf(reflect.TypeFor[Row]())
	for i := range rows {
		setColumns(list.Index(i), reflect.ValueOf(rows).Index(i), columns)
	}
	return list.Interface()
}

// JSONType returns the type that MarshalJSON writes, for JSON Schema.
func (Rows[Row]) JSONType() reflect.Type { return reflect.SliceOf(objectOf(reflect.TypeFor[Row]())) }

// A Record is a single row that JSON shows as Rows does.
type Record[Row any] struct{ Row Row }

// MarshalJSON writes the row.
func (r Record[Row]) MarshalJSON() ([]byte, error) {
	object := reflect.New(r.JSONType()).Elem()
	setColumns(object, reflect.ValueOf(r.Row), columnsOf(reflect.TypeFor[Row]()))
	return json.Marshal(object.Interface())
}

// JSONType returns the type that MarshalJSON writes, for JSON Schema.
func (Record[Row]) JSONType() reflect.Type { return objectOf(reflect.TypeFor[Row]()) }

// objectOf returns a struct type with a field for each column of a row type. JSON and CSV use the column's name.
func objectOf(row reflect.Type) reflect.Type {
	var fields []reflect.StructField
	for i, c := range columnsOf(row) {
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("Column%d", i), Type: c.typeIn(row),
			Tag: reflect.StructTag(fmt.Sprintf("json:%q csv:%[1]q", c.name))})
	}
	return reflect.StructOf(fields)
}

// setColumns fills a value of type objectOf(row) with the columns of a row.
func setColumns(object, row reflect.Value, columns []column) {
	for i, c := range columns {
		object.Field(i).Set(c.value(row))
	}
}

// FigureNamed returns the figure in a column of a row. It returns false without such a column, or if it has no figure.
func FigureNamed(row any, column string) (stats.Figure, bool) {
	value := reflect.ValueOf(row)
	for _, c := range columnsOf(value.Type()) {
		if c.name == column {
			f, is := c.value(value).Interface().(stats.Figure)
			return f, is
		}
	}
	return stats.Figure{}, false
}

// A Ranged is a figure that JSON shows as an object with its interval, not as a number.
type Ranged struct{ stats.Figure }

// A ranged is the JSON form of a Ranged.
type ranged struct {
	Value stats.Figure `json:"value"`
	Low   stats.Figure `json:"low"`
	High  stats.Figure `json:"high"`
}

// MarshalJSON writes value, low and high. A missing number is null.
func (r Ranged) MarshalJSON() ([]byte, error) {
	return json.Marshal(ranged{r.Point(), r.Lower(), r.Upper()})
}

// JSONType returns the type that MarshalJSON writes, for JSON Schema.
func (Ranged) JSONType() reflect.Type { return reflect.TypeFor[ranged]() }

package table

import (
	"encoding/json"
	"fmt"
	"reflect"

	"compqa/stats"
)

// Rows are rows with csv tags that JSON shows as objects with the columns of the CSV file: a missing Figure is null.
type Rows[Row any] []Row

// MarshalJSON writes the rows; none are an empty list.
func (rows Rows[Row]) MarshalJSON() ([]byte, error) { return json.Marshal(rows.objects()) }

// objects returns a slice of the type JSONType with the rows.
func (rows Rows[Row]) objects() any {
	list := reflect.MakeSlice(rows.JSONType(), len(rows), len(rows))
	for i, row := range rows {
		setColumns(list.Index(i), reflect.ValueOf(row))
	}
	return list.Interface()
}

// JSONType returns the type that is written in place of Rows, for JSON Schema.
func (Rows[Row]) JSONType() reflect.Type { return reflect.SliceOf(objectOf(reflect.TypeFor[Row]())) }

// A Record is one row as Rows show it.
type Record[Row any] struct{ Row Row }

// MarshalJSON writes the row.
func (r Record[Row]) MarshalJSON() ([]byte, error) {
	object := reflect.New(r.JSONType()).Elem()
	setColumns(object, reflect.ValueOf(r.Row))
	return json.Marshal(object.Interface())
}

// JSONType returns the type that is written in place of a Record, for JSON Schema.
func (Record[Row]) JSONType() reflect.Type { return objectOf(reflect.TypeFor[Row]()) }

// objectOf returns a struct type with a field for each column of a row type, of that name in JSON and CSV.
func objectOf(row reflect.Type) reflect.Type {
	var fields []reflect.StructField
	for i, c := range columnsOf(row) {
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("Column%d", i), Type: c.typeIn(row),
			Tag: reflect.StructTag(fmt.Sprintf("json:%q csv:%[1]q", c.name))})
	}
	return reflect.StructOf(fields)
}

// setColumns fills a value of the type objectOf with a row.
func setColumns(object, row reflect.Value) {
	for i, c := range columnsOf(row.Type()) {
		object.Field(i).Set(c.value(row))
	}
}

// FigureNamed returns the figure in a column of a row; false without such a column, or it has something else.
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

// Ranged is a figure that JSON shows as an object with its interval, and not as a number.
type Ranged struct{ stats.Figure }

// ranged is what JSON shows of a Ranged.
type ranged struct {
	Value stats.Figure `json:"value"`
	Low   stats.Figure `json:"low"`
	High  stats.Figure `json:"high"`
}

// MarshalJSON writes value, low and high; a missing one is null.
func (r Ranged) MarshalJSON() ([]byte, error) {
	return json.Marshal(ranged{r.Point(), r.Lower(), r.Upper()})
}

// JSONType returns the type that is written in place of a Ranged, for JSON Schema.
func (Ranged) JSONType() reflect.Type { return reflect.TypeFor[ranged]() }

package table

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Rows are rows with csv tags that JSON shows as objects with the columns of the CSV file: a missing Figure is null.
type Rows[Row any] []Row

// MarshalJSON writes the rows; none are an empty list.
func (rows Rows[Row]) MarshalJSON() ([]byte, error) {
	list := reflect.MakeSlice(rows.JSONType(), len(rows), len(rows))
	for i, row := range rows {
		setColumns(list.Index(i), reflect.ValueOf(row))
	}
	return json.Marshal(list.Interface())
}

// JSONType is the type that is written in place of Rows, for JSON Schema.
func (Rows[Row]) JSONType() reflect.Type { return reflect.SliceOf(objectOf(reflect.TypeFor[Row]())) }

// A Record is one row as Rows show it.
type Record[Row any] struct{ Row Row }

// MarshalJSON writes the row.
func (r Record[Row]) MarshalJSON() ([]byte, error) {
	object := reflect.New(r.JSONType()).Elem()
	setColumns(object, reflect.ValueOf(r.Row))
	return json.Marshal(object.Interface())
}

// JSONType is the type that is written in place of a Record, for JSON Schema.
func (Record[Row]) JSONType() reflect.Type { return objectOf(reflect.TypeFor[Row]()) }

// objectOf is a struct type with a field for each column of a row type.
func objectOf(row reflect.Type) reflect.Type {
	var fields []reflect.StructField
	for i, c := range columnsOf(row) {
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("Column%d", i), Type: row.FieldByIndex(c.field).Type,
			Tag: reflect.StructTag(fmt.Sprintf("json:%q", c.name))})
	}
	return reflect.StructOf(fields)
}

// setColumns fills a value of the type objectOf with a row.
func setColumns(object, row reflect.Value) {
	for i, c := range columnsOf(row.Type()) {
		object.Field(i).Set(row.FieldByIndex(c.field))
	}
}

// FigureNamed is the figure in a column of a row; false: there is no such column, or it has something else.
func FigureNamed(row any, column string) (Figure, bool) {
	value := reflect.ValueOf(row)
	for _, c := range columnsOf(value.Type()) {
		if c.name == column {
			f, is := value.FieldByIndex(c.field).Interface().(Figure)
			return f, is
		}
	}
	return Figure{}, false
}

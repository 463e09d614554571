package data

import (
	"io"

	"compqa/data/sheets"
)

func init() {
	Spreadsheets.Excel = func(r io.Reader, most int64) (Workbook, error) { return sheets.OpenExcel(r, most) }
	Spreadsheets.Parquet = sheets.Parquet
}

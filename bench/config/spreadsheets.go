package config

import (
	"io"

	"compqa/data"
	"compqa/data/sheets"
)

func init() {
	data.Spreadsheets.Excel = func(r io.Reader, most int64) (data.Workbook, error) { return sheets.OpenExcel(r, most) }
	data.Spreadsheets.Parquet = sheets.Parquet
}

// Package agreement measures how well the raters of any annotation table agree with each other.
package agreement

// Package summary labels contrastive tables: whether rows help, which attributes are the same,
// which values agree, and whether quotes support their values (see data.Labels). A judge labels
// one kind at a time, so that a reply that cannot be read costs one kind only.
//
// There are two judges: a model, whose replies are forced into a schema, and rules, which need
// none. The rules are a floor with a stated meaning, not a reader of content.
package summary

// Package summary labels contrastive tables: whether rows help, which attributes are the same,
// which values agree, and whether quotes support their values (see data.Labels). A judge labels
// one kind at a time, so an unreadable reply affects one kind only.
//
// There are two judges: a model, whose replies must follow a schema, and rules, which need no
// model. The rules compare words and serve as a floor; they do not understand content.
package summary

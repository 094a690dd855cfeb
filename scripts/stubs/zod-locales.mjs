// Stands in for zod's messages in forty languages, a tenth of dist/: models read what our schemas say, in English,
// and zod loads that on its own.
export {};

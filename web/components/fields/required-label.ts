/** Marks a label by style alone: its text stays the word itself, for whoever looks for the field by it. See app.css. */
export const requiredLabel = (isRequired: boolean) => (isRequired ? { labelProps: { 'data-mark': 'required' } } : {});

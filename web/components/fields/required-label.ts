/** Marks a required label by CSS (see app.css), so that its text stays exactly the field's name. */
export const requiredLabel = (isRequired: boolean) => (isRequired ? { labelProps: { 'data-mark': 'required' } } : {});

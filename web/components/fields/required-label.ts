/** Marks a required label by CSS (see app.css), so that its text stays exactly the field's name. */
export const markRequired = (isRequired: boolean) => (isRequired ? { labelProps: { 'data-mark': 'required' } } : {});

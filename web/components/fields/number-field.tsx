import { TextInput, type TextInputProps } from '@mantine/core';

export interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly value: string; // as typed, so that long numbers keep all digits
  readonly onChange: (value: string) => void;
  /** Only whole numbers from 0. */
  readonly whole?: boolean;
}

/** A number field. Mantine's NumberInput imports a formatter that is larger than most pages. */
export function NumberField({ value, onChange, whole = false, ...rest }: NumberFieldProps) {
  const pattern = whole ? /^\d*$/ : /^[-+]?\d*(?:\.\d*)?(e[-+]?\d*)?$/i;
  return (
    <TextInput
      {...rest}
      inputMode={whole ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={value}
      onChange={({ currentTarget }) => {
        const text = currentTarget.value.trim();
        if (pattern.test(text)) onChange(text);
      }}
    />
  );
}

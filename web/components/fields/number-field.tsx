import { TextInput, type TextInputProps } from '@mantine/core';

export interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly value: string; // as typed: a number of any length keeps its digits
  readonly onChange: (value: string) => void;
  /** Whole numbers from 0 on. */
  readonly whole?: boolean;
}

/** A field that takes nothing but a number. Mantine's own brings a formatter along that weighs more than most pages. */
export function NumberField({ value, onChange, whole = false, ...rest }: NumberFieldProps) {
  const pattern = whole ? /^\d*$/ : /^[-+]?\d*\.?\d*(e[-+]?\d*)?$/i;
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

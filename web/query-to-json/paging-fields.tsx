import { SimpleGrid, TextInput } from '@mantine/core';
import { useSession } from '../app/session.tsx';
import { NumberField } from '../components/fields/number-field.tsx';

export interface Paging {
  readonly rowIndex: string;
  readonly rowSize: string;
  readonly queryMoreCode: string;
}

export const noPaging: Paging = { rowIndex: '', rowSize: '', queryMoreCode: '' };

export interface PagingFieldsProps {
  readonly paging: Paging;
  readonly onChange: (paging: Paging) => void;
  readonly errors: Readonly<Record<string, string>>;
}

/** The paging fields, all optional. */
export function PagingFields({ paging, onChange, errors }: PagingFieldsProps) {
  const { rowsDefault, rowsMax } = useSession().session;
  const set = (change: Partial<Paging>) => onChange({ ...paging, ...change });
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} verticalSpacing="sm">
      <NumberField
        whole
        label="Row Index"
        placeholder="0"
        value={paging.rowIndex}
        onChange={(rowIndex) => set({ rowIndex })}
        error={errors.rowIndex}
      />
      <NumberField
        whole
        label="Row Size"
        placeholder={String(rowsDefault)}
        description={`At most ${rowsMax.toLocaleString('en')} rows per page.`}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        value={paging.rowSize}
        onChange={(rowSize) => set({ rowSize })}
        error={errors.rowSize}
      />
      <TextInput
        label="Query More Code"
        placeholder="From the previous page"
        value={paging.queryMoreCode}
        onChange={(event) => set({ queryMoreCode: event.currentTarget.value.trim() })}
        error={errors.queryMoreCode}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
    </SimpleGrid>
  );
}

/** Maps a field name of the service, in either call form, to a field here. */
export const pagingField = (field: string): string => {
  const name = field.charAt(0).toLowerCase() + field.slice(1);
  return name in noPaging ? name : field;
};

import { Modal, Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { type FileFormat, fileFormats } from '../../src/core/file-format.ts';
import { useSession } from '../app/session.tsx';
import type { DataLink, Query } from '../app/wire.ts';
import { formatLabels } from '../components/format-labels.ts';
import { type ParameterValues, toValuesByName } from '../components/parameters/parameter-values.ts';
import { linkAddress, ownAddress } from './data-address.ts';
import { LinkAddress } from './link-address.tsx';
import { LinkForm } from './link-form.tsx';
import { OwnAddress } from './own-address.tsx';
import { RecipeTabs } from './recipe-tabs.tsx';

export interface DataLinkDialogProps {
  readonly query: Query;
  readonly values: ParameterValues;
  readonly onClose: () => void;
}

/** The addresses that return the rows of a query: one for readers who sign in, and a link for those who do not. */
export function DataLinkDialog({ query, values, onClose }: DataLinkDialogProps) {
  const { session, can } = useSession();
  const [format, setFormat] = useState<FileFormat>('csv');
  const [made, setMade] = useState<DataLink | null>(null);
  const link = made?.format === format ? made : null; // a link has one format
  const sent = Object.entries(toValuesByName(query.parameters, values));
  const isMasked = (name: string) => query.parameters.some((each) => each.name === name && each.masked === true);
  const shown = Object.fromEntries(sent.filter(([name]) => !isMasked(name)));
  const own = ownAddress(session, query.queryName, format, shown);
  return (
    <Modal opened onClose={onClose} title="Get data link" size="lg">
      <Stack gap="md">
        <Select
          label="Format"
          description="Each reading returns the current rows."
          data={fileFormats.map((value) => ({ value, label: formatLabels[value] }))}
          value={format}
          onChange={(value) => value !== null && setFormat(value)}
          allowDeselect={false}
        />
        <OwnAddress own={own} masked={sent.map(([name]) => name).filter(isMasked)} />
        {can('links.create') &&
          (link === null ? (
            <LinkForm query={query} values={values} format={format} onMade={setMade} />
          ) : (
            <LinkAddress link={link} isNew />
          ))}
        <RecipeTabs own={own} link={link === null ? null : linkAddress(link)} />
      </Stack>
    </Modal>
  );
}

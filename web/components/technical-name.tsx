import { Code } from '@mantine/core';
import { Fragment } from 'react';

/** A technical name, which wraps after an underscore rather than within a word. */
export const TechnicalName = ({ children, color }: { readonly children: string; readonly color?: string }) => (
  <Code style={{ overflowWrap: 'anywhere', ...(color === undefined ? {} : { color }) }}>
    {children.split(/(?<=_)/).map((part, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- parts have no other identity
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </Code>
);

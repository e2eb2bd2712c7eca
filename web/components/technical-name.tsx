import { Code } from '@mantine/core';
import { type CSSProperties, Fragment } from 'react';

export interface TechnicalNameProps {
  readonly children: string;
  readonly color?: string;
}

/** A technical name in two lines at most, which wraps after an underscore rather than within a word. */
export const TechnicalName = ({ children, color }: TechnicalNameProps) => (
  <Code title={children} style={{ ...twoLines, ...(color === undefined ? {} : { color }) }}>
    {children.split(/(?<=_)/).map((part, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- parts have no other identity
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </Code>
);

const twoLines: CSSProperties = {
  display: '-webkit-inline-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 2,
  overflow: 'hidden',
  overflowWrap: 'anywhere',
  verticalAlign: 'middle',
};

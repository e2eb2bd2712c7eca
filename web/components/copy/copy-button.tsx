import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { IconCheck, IconCopy } from '../icons.tsx';
import { toastProblem } from '../toast.ts';
import { copyText } from './copy-text.ts';

const SHOWN_MS = 1500;

export interface CopyButtonProps {
  readonly value: string | (() => string);
  readonly label?: string; // 'Copy technical name'
  /** Shows the label; otherwise only an icon. */
  readonly withText?: boolean;
  readonly size?: 'sm' | 'xs' | 'compact-xs'; // with the label
  readonly variant?: 'default' | 'subtle'; // with the label
  /** For screen readers, starting with the label. */
  readonly name?: string;
}

export function CopyButton({ value, label = 'Copy', withText = false, size = 'sm', variant = 'default', name }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    if (await copyText(typeof value === 'string' ? value : value())) setCopied(true);
    else toastProblem(new Error('The browser does not allow copying. Select the text and copy it.'));
  };
  const Icon = copied ? IconCheck : IconCopy;
  if (withText) {
    return (
      <Button
        {...{ variant, size }}
        {...(variant === 'subtle' ? { color: 'gray' } : {})}
        {...(name === undefined ? {} : { 'aria-label': copied ? 'Copied' : name })}
        leftSection={<Icon size={size === 'sm' ? 16 : 14} aria-hidden />}
        onClick={copy}
      >
        <span aria-live="polite">{copied ? 'Copied' : label}</span>
      </Button>
    );
  }
  return (
    <Tooltip label={copied ? 'Copied' : label} withArrow>
      <ActionIcon variant="subtle" color={copied ? 'teal' : 'gray'} aria-label={copied ? 'Copied' : label} onClick={copy}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

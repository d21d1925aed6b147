'use client';
import { ActionIcon, Button, Group, NavLink, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { MAX_NAME_LENGTH } from '@/lib/core/named-urls';
import { CopyButton } from './copy-button';
import { Icon } from './icons';
import { SmallButton } from './text';

/** Returns the reason if the name is refused. */
type OnName = (name: string) => string | undefined;
type ItemProps = {
  name: string;
  url: string;
  isHere?: boolean;
  onOpen: () => void;
  onRename: OnName;
  onRemove: () => void;
};

/** A saved view or board. */
export function NamedItem({ name, url, isHere = false, onOpen, onRename, onRemove }: ItemProps) {
  const [renaming, rename] = useDisclosure(false);
  if (renaming) {
    const onName = (text: string) => {
      const problem = onRename(text);
      if (problem === undefined) rename.close();
      return problem;
    };
    return (
      <li>
        <NameForm
          label={`New name of ${name}`}
          name={name}
          verb={() => 'Rename'}
          onName={onName}
          onCancel={rename.close}
        />
      </li>
    );
  }
  return (
    <Group component="li" gap={4} wrap="nowrap">
      <NavLink
        component="button"
        p={6}
        label={<bdi>{name}</bdi>}
        active={isHere}
        aria-current={isHere ? 'true' : undefined}
        onClick={onOpen}
      />
      <CopyButton value={`${window.location.origin}${url}`} label={`Copy link of ${name}`} />
      <SmallButton variant="subtle" aria-label={`Rename ${name}`} onClick={rename.open}>
        Rename
      </SmallButton>
      <ActionIcon aria-label={`Delete ${name}`} title="Delete" onClick={onRemove}>
        <Icon name="close" size={13} />
      </ActionIcon>
    </Group>
  );
}

type FormProps = {
  label: string;
  name?: string;
  verb: (text: string) => string;
  onName: OnName;
  onCancel?: () => void;
};

/** Escape cancels the form and leaves the menu open. */
export function NameForm({ label, name = '', verb, onName, onCancel }: FormProps) {
  const [text, setText] = useState(name);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const refusal = onName(text);
    setProblem(refusal);
    if (refusal === undefined) setText(name);
  };
  return (
    <Group component="form" gap={4} p={6} align="flex-end" wrap="nowrap" onSubmit={submit}>
      <TextInput
        flex={1}
        label={onCancel === undefined ? label : undefined}
        aria-label={label}
        value={text}
        error={problem}
        errorProps={{ role: 'alert' }}
        maxLength={MAX_NAME_LENGTH}
        autoFocus={onCancel !== undefined}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setProblem(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || onCancel === undefined) return;
          event.stopPropagation();
          event.preventDefault();
          onCancel();
        }}
      />
      <Button type="submit">{verb(text)}</Button>
    </Group>
  );
}

<?php
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// objects.php [ROUNDS] - trees of objects, hashes, strings and exceptions, ROUNDS times (30): what allocates and frees. Touches the
// request heap's globals and the executor's.

final class Node
{
    public ?Node $left = null;
    public ?Node $right = null;

    public function __construct(public int $key, public string $name)
    {
    }

    public function insert(Node $node): void
    {
        $side = $node->key < $this->key ? 'left' : 'right';
        if ($this->$side === null) {
            $this->$side = $node;
        } else {
            $this->$side->insert($node);
        }
    }

    public function depth(): int
    {
        return 1 + max($this->left?->depth() ?? 0, $this->right?->depth() ?? 0);
    }
}

function trees(int $seed): int
{
    $root = new Node(1 << 15, 'root');
    for ($i = 0; $i < 900; $i++) {
        $seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
        $root->insert(new Node($seed >> 15, "node $i"));
    }
    return $root->depth();
}

function hashes(int $seed): int
{
    $count = [];
    for ($i = 0; $i < 4000; $i++) {
        $seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
        $key = 'key ' . ($seed >> 20);
        $count[$key] = ($count[$key] ?? 0) + 1;
    }
    ksort($count);
    return array_sum(array_filter($count, fn (int $n): bool => $n > 1));
}

function strings(int $seed): int
{
    $words = [];
    for ($i = 0; $i < 3000; $i++) {
        $words[] = ucfirst(strrev((string) ($seed + $i))) . '-' . str_repeat(chr(97 + $i % 26), $i % 13);
    }
    $text = implode(' ', $words);
    return strlen(strtr($text, ['1' => 'one', 'aa' => 'b'])) + count(explode('-', $text));
}

function thrower(int $i): int
{
    if ($i % 3) {
        throw new InvalidArgumentException("not a multiple: $i", $i);
    }
    return $i;
}

function exceptions(): int
{
    $sum = 0;
    for ($i = 0; $i < 2500; $i++) {
        try {
            $sum += thrower($i);
        } catch (InvalidArgumentException $e) {
            $sum -= $e->getCode();
        } finally {
            $sum++;
        }
    }
    return $sum;
}

$rounds = (int) ($argv[1] ?? 30);
$sum = 0;
for ($round = 1; $round <= $rounds; $round++) {
    $sum += trees($round) + hashes($round) + strings($round) + exceptions();
}
echo "$rounds rounds, $sum\n";

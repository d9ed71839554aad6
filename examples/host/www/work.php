<?php
// What a page does: objects in trees, a hash, strings, an exception now and then. The answer is a number that depends on the query.
$id = (int)($_GET['id'] ?? 0);

class Node
{
    public ?Node $left = null;
    public ?Node $right = null;

    public function __construct(public int $key, public string $name)
    {
    }

    public function insert(int $key): void
    {
        if ($key === $this->key) throw new DomainException("twice: $key");
        $side = $key < $this->key ? 'left' : 'right';
        if ($this->$side) $this->$side->insert($key);
        else $this->$side = new Node($key, "node $key");
    }

    public function sum(): int
    {
        return strlen($this->name) + $this->key + ($this->left?->sum() ?? 0) + ($this->right?->sum() ?? 0);
    }
}

$tree = new Node(5000, 'root');
$twice = 0;
$hash = [];
for ($i = 0, $key = 7 + $id % 13; $i < 600; $i++) {
    $key = ($key * 1103 + 12345) % 9973;
    try {
        $tree->insert($key);
    } catch (DomainException $e) {
        $twice++;
    }
    $hash["k$key"] = ($hash["k$key"] ?? 0) + $i;
}
ksort($hash);
$text = '';
foreach ($hash as $name => $count) {
    $text .= str_pad(strtoupper($name), 8) . dechex($count) . ';';
}
$parts = array_filter(explode(';', $text), fn(string $part): bool => str_contains($part, 'A'));
echo "id=$id sum=", $tree->sum() + $twice, ' ', count($parts), ' ', crc32($text), "\n";

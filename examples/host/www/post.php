<?php
$body = file_get_contents('php://input');
echo 'id=', $_GET['id'], ' got ', strlen($body), ' bytes, ', strspn($body, 'x'), " of them x\n";
